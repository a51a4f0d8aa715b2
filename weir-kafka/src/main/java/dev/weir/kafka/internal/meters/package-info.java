/**
 * What producers count of their records on the way, and how long these took: written by the threads that send and that
 * hear of answers, read by any.
 */
@NullMarked
package dev.weir.kafka.internal.meters;

import org.jspecify.annotations.NullMarked;
