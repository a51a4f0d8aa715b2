/**
 * Administration of a share group: reads its configuration and offsets, sets its start position, and explains its
 * errors.
 */
@NullMarked
package dev.weir.kafka.internal.share.group;

import org.jspecify.annotations.NullMarked;
