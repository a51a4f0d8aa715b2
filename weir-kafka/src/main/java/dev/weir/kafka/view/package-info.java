/**
 * Types for pipelines that read records directly from the receive buffer, and encode output records, without creating
 * an object per record. Available only with the lean consumer and producer; see
 * {@link dev.weir.kafka.KafkaSource#views} and {@link dev.weir.kafka.KafkaSink#encoded}. An element belongs to the
 * stage that is processing it. The element's memory is reused afterwards.
 */
@NullMarked
package dev.weir.kafka.view;

import org.jspecify.annotations.NullMarked;
