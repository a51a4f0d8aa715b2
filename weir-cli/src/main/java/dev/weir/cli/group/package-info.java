/**
 * Groups as the brokers describe them: members, and the lag of each partition in records and time. Admin and consumer
 * clients come in, snapshots go out. A reader is confined to one thread.
 */
@NullMarked
package dev.weir.cli.group;

import org.jspecify.annotations.NullMarked;
