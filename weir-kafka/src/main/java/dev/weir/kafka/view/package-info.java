/**
 * Types for pipelines that read records in the receive buffer, and encode output records, without an object per record.
 * They require the lean consumer and producer; see {@link dev.weir.kafka.KafkaSource#views} and
 * {@link dev.weir.kafka.KafkaSink#encoded}. An element belongs to the stage that is processing it, and its memory is
 * reused afterwards.
 */
@NullMarked
package dev.weir.kafka.view;

import org.jspecify.annotations.NullMarked;
