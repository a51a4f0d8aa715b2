package dev.weir.stream.internal.junction;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.OpenInput;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.function.Consumer;

/**
 * A stage that distributes elements to several outputs. The upstream stages run on their own thread, which fills the
 * outputs' bounded buffers. Immutable.
 *
 * @param shared whether the outputs share one buffer
 */
record FanOut<T>(String name, BlueprintNode<T> above, boolean shared, OutputSelection.Factory<T> distribution) {

    /** The outputs of one run, and the upstream segment that fills them. */
    private record Built<T>(StageOutputs<T> outlets, Segment<T> upper) {

        /** Returns a stage that emits the batches of {@code lowest}. Closing it cancels {@code upper}. */
        <R> Stage<R> endingWith(Stage<R> lowest) {
            return new CancellingStage<>(lowest, upper, outlets);
        }
    }

    private Built<T> build(RunAssembly assembly, StageAttributes attributes, int outputs) {
        Stage<T> upstream = above.build(assembly);
        StageEntry entry = assembly.fused(attributes);
        StageMeter segment = assembly.segmentMeter();
        StageOutputs<T> outlets = new StageOutputs<>(
                outputs,
                attributes.bufferOr(MergeStage.DEFAULT_BUFFER),
                shared,
                assembly.clock(),
                assembly.tasks(),
                entry::isWhole);
        entry.depth(outlets::depth);
        // Called at the end of the run. Ends the acknowledgements that the outputs still keep.
        entry.onTermination(patience -> {
            outlets.leave();
            return "";
        });
        OutputSelection<T> running = distribution.of(() -> SupervisedCall.by(attributes, assembly.clock()));
        Segment<T> upper = assembly.closeSegment(
                entry.stageName(),
                attributes.dispatcherOr(Dispatcher.virtual()),
                upstream,
                from -> outlets.distribute(from, running, segment, entry.meter()));
        return new Built<>(outlets, upper);
    }

    /** Returns a node that runs each output's branch on its own thread and merges the results. */
    <R> BlueprintNode<R> merged(List<BlueprintBranch<T, R>> branches) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Built<T> built = build(assembly, attributes, branches.size());
            InputQueues<R> inlets = new InputQueues<>(
                    branches.size(),
                    attributes.bufferOr(MergeStage.DEFAULT_BUFFER),
                    InputSelection.roundRobin(branches.size()),
                    false,
                    assembly.clock());
            Dispatcher dispatcher = attributes.dispatcherOr(Dispatcher.virtual());
            assembly.branches(branches.size(), output -> {
                BlueprintBranch<T, R> branch = branches.get(output);
                assembly.fill(branch.input(), built.outlets.get(output));
                built.outlets.pulledBy(output, assembly.segmentMeter());
                Stage<R> lowest =
                        built.outlets.get(output).leaving(branch.lowest().build(assembly));
                return inlets.feed(output, assembly, dispatcher, lowest, () -> built.outlets.ended(output));
            });
            inlets.cancelsAlso(built.upper);
            return built.endingWith(
                    MergeStage.below(inlets, assembly, StageAttributes.named(attributes.name() + "-merge")));
        });
    }

    /**
     * Returns a node for stages that read all outputs on one thread. {@code inputs} are their open inputs, one for each
     * output; {@code lowest} is the most downstream stage.
     */
    <R> BlueprintNode<R> joined(List<OpenInput<T>> inputs, BlueprintNode<R> lowest) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Built<T> built = build(assembly, attributes, inputs.size());
            for (int i = 0; i < inputs.size(); i++) {
                assembly.fill(inputs.get(i), built.outlets.endingAll(i));
            }
            Stage<R> joined = lowest.build(assembly);
            for (int i = 0; i < inputs.size(); i++) {
                built.outlets.get(i).pulledBy(assembly.segmentMeter());
            }
            for (int i = 0; i < inputs.size(); i++) {
                joined = built.outlets.get(i).leaving(joined);
            }
            return built.endingWith(joined);
        });
    }

    /** Connects each output to a sink. */
    Consumer<RunAssembly> into(List<SideSink<T>> sinks) {
        return assembly -> {
            Built<T> built = build(assembly, StageAttributes.named(name), sinks.size());
            for (int i = 0; i < sinks.size(); i++) {
                int output = i;
                SideSink<T> sink = sinks.get(i);
                var ignored = assembly.beside(() -> {
                    assembly.fill(sink.input(), built.outlets.get(output));
                    built.outlets.pulledBy(output, assembly.segmentMeter());
                    sink.builder().accept(assembly);
                    Segment<?> lowest = assembly.lastSegment();
                    lowest.afterNormalEnd(() -> ended(built, output));
                    return lowest;
                });
            }
        };
    }

    private static void ended(Built<?> built, int output) {
        built.outlets.ended(output);
        if (!built.outlets.isLive()) {
            built.upper.cancel();
        }
    }
}
