package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;

/**
 * The connections of a fused stage. Immutable.
 *
 * @param upstream the upstream stage, which this stage owns
 * @param context the stage's view of its run
 * @param attributes the attributes set for the stage
 */
public record StageWiring<T>(Stage<T> upstream, StageContext context, StageAttributes attributes) {

    /** Creates a stage for one run. */
    @FunctionalInterface
    public interface Maker<T, R> {
        Stage<R> make(StageWiring<T> wiring);
    }

    public static <T, R> BlueprintNode<R> node(String name, BlueprintNode<T> above, Maker<T, R> maker) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return maker.make(new StageWiring<>(upstream, assembly.fused(attributes), attributes));
        });
    }

    /** Creates the blueprint of a fused stage that calls no user function and needs no supervision. */
    public static <T, R> BlueprintNode<R> withoutFunction(String name, BlueprintNode<T> above, Maker<T, R> maker) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageAttributes none = StageAttributes.named(attributes.name());
            return maker.make(new StageWiring<>(upstream, assembly.fused(attributes), none));
        });
    }

    /** Returns the supervision of the stage's function. Used only by stages that have one. */
    public SupervisedCall supervised() {
        return SupervisedCall.by(attributes, clock());
    }

    public StageMeter meter() {
        return context.meter();
    }

    public Clock clock() {
        return context.clock();
    }
}
