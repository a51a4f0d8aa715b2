package dev.weir.stream;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a facade method that adds a stage. {@code docs/reference/operators.md} is generated from these marks. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Operator {

    /** The treatment of acknowledgements, in a few words. */
    String acks();

    /** The costs, in a few words: per element, per batch, threads, memory. */
    String cost();
}
