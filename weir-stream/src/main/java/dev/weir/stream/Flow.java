package dev.weir.stream;

import dev.weir.stream.internal.run.BlueprintParts;
import java.util.Objects;
import java.util.function.Function;

/**
 * A named, reusable part of a stream: operators without a source or a sink. Immutable, so it can be used in any number
 * of pipelines; each use has its own stages.
 *
 * <pre>{@code
 * static final Flow<String, Order> ORDERS =
 *         Flow.<String, Order>of("orders", lines -> lines.filterNot(String::isBlank).map(Order::parse));
 *
 * Source.from(lines).via(ORDERS).to(store) // with the stages orders/filterNot and orders/map
 * }</pre>
 *
 * @param <T> the type of the incoming elements
 * @param <R> the type of the outgoing elements
 */
public final class Flow<T, R> {

    private final Function<Source<T>, Source<R>> operators;

    private Flow(Function<Source<T>, Source<R>> operators) {
        this.operators = operators;
    }

    /**
     * Creates a flow.
     *
     * @param name prefix of the names of the flow's stages, as in {@code name/map}
     * @param operators adds the operators to a source; called once for each use, while a blueprint is being built
     */
    public static <T, R> Flow<T, R> of(String name, Function<Source<T>, Source<R>> operators) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(operators, "operators");
        if (name.isBlank()) {
            throw new IllegalArgumentException("the name of a flow must not be blank");
        }
        return new Flow<>(above -> Source.at(BlueprintParts.named(
                name + "/",
                above.node(),
                entry -> Objects.requireNonNull(
                                operators.apply(Source.at(entry)), () -> "the operators of flow " + name + " are null")
                        .node())));
    }

    /** Returns a flow that adds no operators. */
    public static <T> Flow<T, T> identity() {
        return new Flow<>(above -> above);
    }

    /** Returns this flow followed by another flow. */
    public <U> Flow<T, U> andThen(Flow<R, U> below) {
        Objects.requireNonNull(below, "below");
        return new Flow<>(above -> below.below(below(above)));
    }

    /** Returns a sink that consists of this flow followed by {@code sink}. */
    public Sink<T> to(Sink<? super R> sink) {
        Objects.requireNonNull(sink, "sink");
        return Sink.through(above -> below(above).to(sink));
    }

    Source<R> below(Source<T> above) {
        return operators.apply(above);
    }
}
