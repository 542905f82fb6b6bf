/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is said over the control socket, a stream. A client sends how it wants to be answered, and
 * the words of one command, each with a NUL behind it; then it shuts down its side. The server
 * sends a digit that says what has come of it, and the answer, or the reason, until it closes.
 */
#ifndef SIM_CTL_PROTOCOL_H
#define SIM_CTL_PROTOCOL_H

#define SIM_ENVIRONMENT "MADRING_SIM" /* names the folder below to all that the command starts */
#define SIM_CONTROL	"control"     /* the socket, or a symbolic link to it */

#define CTL_AS_TEXT "text"
#define CTL_AS_JSON "json"

#define CTL_REQUEST_BYTES 16384
#define CTL_REQUEST_WORDS 128

#define CTL_DONE    0
#define CTL_REFUSED 1
#define CTL_NO	    2 /* the answer is not what had to be hoped for */

#endif
