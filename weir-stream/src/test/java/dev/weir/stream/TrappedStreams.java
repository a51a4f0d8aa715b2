package dev.weir.stream;

import dev.weir.stream.SupervisionMatrixTest.Trapped;
import java.util.List;

/** Rows of the {@link SupervisionMatrixTest}: operators with several inputs or outputs, or with streams within the stream. */
final class TrappedStreams {

    private static final int KEYS = 17;

    private TrappedStreams() {}

    static List<Trapped> all() {
        return List.of(
                SupervisionMatrixTest.trapped(
                        "zipWith",
                        true,
                        false,
                        trap -> source -> source.zipWith(Source.repeat(0), (n, zero) -> trap.pass(n))),
                SupervisionMatrixTest.trapped(
                        "divertTo",
                        true,
                        false,
                        trap -> source -> source.divertTo(Sink.ignore(), n -> trap.pass(n) < 0)),
                SupervisionMatrixTest.trapped(
                        "partition",
                        false,
                        false,
                        trap -> source -> source.partition(2, n -> trap.pass(n) % 2, branch -> branch.map(n -> n))),
                SupervisionMatrixTest.trapped(
                        "flatMapConcat",
                        true,
                        true,
                        trap -> source -> source.flatMapConcat(n -> Source.of(trap.pass(n)))),
                SupervisionMatrixTest.trapped(
                        "flatMapMerge",
                        false,
                        false,
                        trap -> source -> source.flatMapMerge(3, n -> Source.of(trap.pass(n)))),
                SupervisionMatrixTest.trapped(
                        "groupBy",
                        false,
                        false,
                        trap -> source -> source.groupBy(n -> trap.pass(n) % KEYS, KEYS, key -> key.map(n -> n))),
                SupervisionMatrixTest.trapped(
                        "groupBy, asynchronous",
                        false,
                        false,
                        trap -> source -> source.groupBy(n -> trap.pass(n) % KEYS, KEYS, key -> key.async())),
                SupervisionMatrixTest.trapped(
                        "splitWhen",
                        true,
                        false,
                        trap -> source ->
                                source.splitWhen(n -> trap.pass(n) % 10 == 0, section -> section.map(n -> n))),
                SupervisionMatrixTest.trapped(
                        "splitAfter, asynchronous",
                        true,
                        false,
                        trap -> source -> source.splitAfter(n -> trap.pass(n) % 10 == 0, section -> section.async())));
    }
}
