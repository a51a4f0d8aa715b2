/** Elements of pipelines on views: what is kept of what was fetched, what was encoded to be sent, and their memory. */
@NullMarked
package dev.weir.kafka.internal.in.view;

import org.jspecify.annotations.NullMarked;
