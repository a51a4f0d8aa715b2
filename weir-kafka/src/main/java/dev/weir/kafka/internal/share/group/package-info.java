/** A share group as a whole: its settings, offsets and start, asked of the brokers, and what its faults mean. */
@NullMarked
package dev.weir.kafka.internal.share.group;

import org.jspecify.annotations.NullMarked;
