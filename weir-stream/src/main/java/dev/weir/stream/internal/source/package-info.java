/**
 * The sources behind the methods of {@link dev.weir.stream.Source}: elements come from user code or from other threads,
 * and leave in batches. Each source is one class; each instance is used for one run and confined to the thread that
 * runs it unless stated otherwise.
 */
@NullMarked
package dev.weir.stream.internal.source;

import org.jspecify.annotations.NullMarked;
