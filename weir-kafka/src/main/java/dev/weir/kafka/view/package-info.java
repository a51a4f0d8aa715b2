/**
 * Pipelines that process records in the receive buffer, from fetched views to encoded batches, without creating an
 * object per record. Available only with the lean consumer and producer; see {@link dev.weir.kafka.KafkaSource#views}
 * and {@link dev.weir.kafka.KafkaSink#encoded}. An element belongs to the stage that holds it; its memory is reused
 * afterwards.
 */
@NullMarked
package dev.weir.kafka.view;

import org.jspecify.annotations.NullMarked;
