package dev.weir.stream;

import dev.weir.stream.TrappedOperators.Trapped;
import java.util.List;

/** Rows of the {@link SupervisionMatrixTest}: operators with several inputs or outputs, or with inner streams. */
final class TrappedStreams {

    private static final int KEYS = 17;

    private TrappedStreams() {}

    static List<Trapped> all() {
        return List.of(
                TrappedOperators.trapped(
                        "zipWith",
                        true,
                        true,
                        trap -> source -> source.zipWith(Source.repeat(0), (n, zero) -> trap.pass(n))),
                TrappedOperators.trapped(
                        "divertTo",
                        true,
                        true,
                        trap -> source -> source.divertTo(Sink.ignore(), n -> trap.pass(n) < 0)),
                TrappedOperators.trapped(
                        "partition",
                        false,
                        false,
                        trap -> source -> source.partition(2, n -> trap.pass(n) % 2, branch -> branch.map(n -> n))),
                TrappedOperators.trapped(
                        "flatMapConcat",
                        true,
                        true,
                        trap -> source -> source.flatMapConcat(n -> Source.of(trap.pass(n)))),
                TrappedOperators.trapped(
                        "flatMapMerge",
                        false,
                        false,
                        trap -> source -> source.flatMapMerge(3, n -> Source.of(trap.pass(n)))),
                TrappedOperators.trapped(
                        "groupBy",
                        false,
                        true,
                        trap -> source -> source.groupBy(n -> trap.pass(n) % KEYS, KEYS, key -> key.map(n -> n))),
                TrappedOperators.trapped(
                        "groupBy, asynchronous",
                        false,
                        false,
                        trap -> source -> source.groupBy(n -> trap.pass(n) % KEYS, KEYS, key -> key.async())),
                TrappedOperators.trapped(
                        "splitWhen",
                        true,
                        true,
                        trap -> source ->
                                source.splitWhen(n -> trap.pass(n) % 10 == 0, section -> section.map(n -> n))),
                TrappedOperators.trapped(
                        "splitAfter, asynchronous",
                        true,
                        true,
                        trap -> source -> source.splitAfter(n -> trap.pass(n) % 10 == 0, section -> section.async())));
    }
}
