/**
 * The public types of the lean consumer and the lean producer: settings, clients, record views and exceptions. A
 * consumer and all its views belong to its polling thread.
 */
@NullMarked
package dev.weir.lean;

import org.jspecify.annotations.NullMarked;
