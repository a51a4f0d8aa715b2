/**
 * The console's access rules and responses. Each connection to the console's port has its own thread, which handles all
 * requests on the connection.
 */
@NullMarked
package dev.weir.console.internal.http;

import org.jspecify.annotations.NullMarked;
