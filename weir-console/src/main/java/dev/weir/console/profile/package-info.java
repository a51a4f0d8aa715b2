/**
 * Profiles of a process by the stages of its pipelines. A recording of the JDK's flight recorder is converted into
 * shares, methods and flame graphs. The requesting thread waits for the profile; nothing runs afterwards.
 */
@NullMarked
package dev.weir.console.profile;

import org.jspecify.annotations.NullMarked;
