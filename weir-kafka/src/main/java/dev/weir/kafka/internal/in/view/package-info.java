/**
 * Contains the elements of pipelines on views: copies of fetched batches, records encoded for sending, and their
 * memory.
 */
@NullMarked
package dev.weir.kafka.internal.in.view;

import org.jspecify.annotations.NullMarked;
