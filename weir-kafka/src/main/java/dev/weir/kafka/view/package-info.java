/**
 * Pipelines that process records in the receive buffer, from a fetched view to an encoded batch, without creating an
 * object per record. Only for the lean paths; see {@link dev.weir.kafka.KafkaSource#views} and
 * {@link dev.weir.kafka.KafkaSink#encoded}. An element belongs to the stage that holds it; its memory is reused
 * afterwards.
 */
@NullMarked
package dev.weir.kafka.view;

import org.jspecify.annotations.NullMarked;
