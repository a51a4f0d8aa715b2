/**
 * A profile of a process by the stages of its pipelines: a recording of the JDK's flight recorder comes in, shares,
 * methods and flame graphs go out. The requesting thread waits for it; nothing runs afterwards.
 */
@NullMarked
package dev.weir.console.profile;

import org.jspecify.annotations.NullMarked;
