/** Reads settings from files and environment variables, and formats them for display. */
@NullMarked
package dev.weir.kafka.internal.settings;

import org.jspecify.annotations.NullMarked;
