/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is built without any hardening: the check has to find all of it missing. */
int main(void) { return 0; }
