/**
 * {@code weir mcp}: tools for agents over standard streams. One thread reads requests from standard input, each call
 * runs on its own virtual thread, and answers go to standard output. See ADR 240.
 */
@NullMarked
package dev.weir.cli.mcp;

import org.jspecify.annotations.NullMarked;
