/** A slice of an application for its tests: pipelines and a broker, nothing else. */
@NullMarked
package dev.weir.spring.testing;

import org.jspecify.annotations.NullMarked;
