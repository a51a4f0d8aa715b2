/**
 * Administration of a share group as a whole: reads its configuration and offsets from the brokers, sets its start
 * position, and explains its errors.
 */
@NullMarked
package dev.weir.kafka.internal.share.group;

import org.jspecify.annotations.NullMarked;
