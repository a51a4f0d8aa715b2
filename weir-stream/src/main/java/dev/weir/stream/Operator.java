package dev.weir.stream;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a facade method that adds a stage. {@code docs/reference/operators.md} is generated from these annotations. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Operator {

    /** A short description of how the operator treats acknowledgements. */
    String acks();

    /** A short description of the operator's costs: per element, per batch, threads, memory. */
    String cost();
}
