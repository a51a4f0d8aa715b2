/**
 * {@code weir mcp}: tools for agents over standard streams. Requests come in on standard input, one thread reads them,
 * each call runs on a virtual thread of its own, and answers leave on standard output. See ADR 240.
 */
@NullMarked
package dev.weir.cli.mcp;

import org.jspecify.annotations.NullMarked;
