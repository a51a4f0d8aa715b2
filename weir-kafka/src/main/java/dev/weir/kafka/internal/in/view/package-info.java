/**
 * Contains the elements of pipelines that process record views: copies of fetched batches, records encoded for sending,
 * and their memory.
 */
@NullMarked
package dev.weir.kafka.internal.in.view;

import org.jspecify.annotations.NullMarked;
