/** Settings read from files and environment variables, and formatted for display. */
@NullMarked
package dev.weir.kafka.internal.settings;

import org.jspecify.annotations.NullMarked;
