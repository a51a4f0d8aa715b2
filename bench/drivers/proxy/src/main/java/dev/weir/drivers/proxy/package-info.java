/**
 * The network of a group member: a proxy that runs beside the member, on the same machine or in the same pod. The
 * harness uses it to cut, silence or slow down the network. It has its own threads.
 */
@NullMarked
package dev.weir.drivers.proxy;

import org.jspecify.annotations.NullMarked;
