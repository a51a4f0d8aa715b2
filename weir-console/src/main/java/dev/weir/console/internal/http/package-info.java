/**
 * The console's access rules and responses. Each request is handled by the thread of its connection, which belongs to
 * the console's port.
 */
@NullMarked
package dev.weir.console.internal.http;

import org.jspecify.annotations.NullMarked;
