/**
 * Answers of a stream to exceptions and slowness: the common part of supervision, and the operators that recover,
 * restart, time out, watch and switch off. A failure comes down by pull; each stage is confined to its segment, only
 * switches and stop hooks are reached from other threads.
 */
@NullMarked
package dev.weir.stream.internal.failure;

import org.jspecify.annotations.NullMarked;
