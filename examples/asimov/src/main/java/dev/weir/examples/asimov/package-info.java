/**
 * Translates web-analytics events from JSON with a compressed payload to Protobuf, one step per pipeline stage, and
 * makes the traffic and the book-keeping that prove it. Bytes come in, a {@link Translation} goes out, on any thread.
 */
@NullMarked
package dev.weir.examples.asimov;

import org.jspecify.annotations.NullMarked;
