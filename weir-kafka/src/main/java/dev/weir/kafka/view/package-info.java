/**
 * Pipelines on records where they lie: from a fetched view into an encoded batch without an object per record. For the
 * lean paths only; see {@link dev.weir.kafka.KafkaSource#views} and {@link dev.weir.kafka.KafkaSink#encoded}. Who owns
 * what: an element belongs to the stage that has it, and its memory is used again once it is done with.
 */
@NullMarked
package dev.weir.kafka.view;

import org.jspecify.annotations.NullMarked;
