/**
 * The sinks behind the methods of {@link dev.weir.stream.Sink}: they consume batches and produce a result. Each sink is
 * one class; each instance is used for one run and confined to the thread that runs it unless stated otherwise.
 */
@NullMarked
package dev.weir.stream.internal.sink;

import org.jspecify.annotations.NullMarked;
