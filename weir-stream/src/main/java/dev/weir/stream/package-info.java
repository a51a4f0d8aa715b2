/** What a user of the engine types. */
@NullMarked
package dev.weir.stream;

import org.jspecify.annotations.NullMarked;
