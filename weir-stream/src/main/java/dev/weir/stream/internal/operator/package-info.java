/**
 * Fused operators: they pull batches, change them and return them, on the thread of the owning segment. One operator is
 * one class.
 */
@NullMarked
package dev.weir.stream.internal.operator;

import org.jspecify.annotations.NullMarked;
