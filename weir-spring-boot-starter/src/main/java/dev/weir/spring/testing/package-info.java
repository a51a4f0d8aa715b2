/** A test slice of an application that contains only its pipelines and a broker. */
@NullMarked
package dev.weir.spring.testing;

import org.jspecify.annotations.NullMarked;
