package dev.weir.stream;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

final class ScratchPerf {
    public static void main(String[] args) throws Exception {
        int n = 10_000_000;
        Integer[] all = new Integer[100_000];
        for (int i = 0; i < all.length; i++) all[i] = i;
        Source<Integer> src = Source.from(() -> IntStream.range(0, n).mapToObj(i -> all[i % all.length]).iterator());
        run("plain map", n, src, s -> s.map(x -> x));
        run("groupBy 10", n, src, s -> s.groupBy(x -> all[x % 10], 10, k -> k.map(x -> x)));
        run("groupBy 100k", n, src, s -> s.groupBy(x -> x, 100_000, k -> k.map(x -> x)));
        run("groupBy 10 evict", n, src, s -> s.groupBy(x -> all[x % 10], 10, java.time.Duration.ofMinutes(1), k -> k.map(x -> x)));
        run("merge 8", n, src, s -> {
            Source<Integer> part = Source.from(() -> IntStream.range(0, n / 8).mapToObj(i -> all[i % all.length]).iterator());
            return part.merge(part, part, part, part, part, part, part);
        });
        run("broadcast 3", n, src, s -> s.broadcast(List.<Function<Source<Integer>, Source<Integer>>>of(k -> k, k -> k, k -> k)));
        run("balance 2", n, src, s -> s.balance(2, k -> k.map(x -> x)));
        run("zip", n, src, s -> s.zipWith(src, (a, b) -> a));
        run("flatMapConcat(1)", n / 10, Source.from(() -> IntStream.range(0, n / 10).mapToObj(i -> all[i % all.length]).iterator()), s -> s.flatMapConcat(x -> Source.of(x)));
        run("flatMapMerge(16)", n / 100, Source.from(() -> IntStream.range(0, n / 100).mapToObj(i -> all[i % all.length]).iterator()), s -> s.flatMapMerge(16, x -> Source.of(x)));
    }
    static void run(String name, int n, Source<Integer> src, UnaryOperator<Source<Integer>> op) throws Exception {
        long best = Long.MAX_VALUE;
        for (int r = 0; r < 4; r++) {
            long t = System.nanoTime();
            op.apply(src).to(Sink.ignore()).run().await();
            best = Math.min(best, System.nanoTime() - t);
        }
        System.out.println(name + ": " + best / n + " ns/element");
    }
}
