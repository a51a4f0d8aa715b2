/**
 * Translates web-analytics events from JSON with a compressed payload to Protobuf, one step per pipeline stage. Also
 * generates the traffic, and checks the output for losses, duplicates and order. Input: bytes. Output: a
 * {@link Translation}. Any thread may call it.
 */
@NullMarked
package dev.weir.examples.asimov;

import org.jspecify.annotations.NullMarked;
