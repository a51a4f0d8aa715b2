/** The elements of pipelines that process record views: copies of fetched batches, and records encoded for sending. */
@NullMarked
package dev.weir.kafka.internal.in.view;

import org.jspecify.annotations.NullMarked;
