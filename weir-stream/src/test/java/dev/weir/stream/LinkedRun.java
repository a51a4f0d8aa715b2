package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.weir.stream.Lineage.Item;
import dev.weir.stream.Link.Known;
import dev.weir.stream.Link.Trait;
import dev.weir.stream.Links.Trapped;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** One run of a random pipeline to a random ending, with its checks. Used once. */
final class LinkedRun {

    private static final long LIMIT_SECONDS = Long.getLong("weir.fuzz.limit", 40);
    private static final List<Integer> LENGTHS = List.of(0, 1, 2, 10, 60, 60, 300, 300);

    enum Ending {
        ITS_OWN,
        FAILURE,
        CANCEL,
        STOP,
        DRAIN,
        SINK
    }

    /** Thrown at a random call of user code. */
    private static final class Planted extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Random random;
    private final boolean keeping;
    final String described;
    private final Link chain;
    private final Ending ending;
    private final int inputs;
    private final int atCall;
    private final int sinkLag;
    private final TrackedSource<Item> source;

    private final AtomicInteger calls = new AtomicInteger();
    private final CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
    private final Queue<String> breaches = new ConcurrentLinkedQueue<>();
    private final List<Long> seen = new ArrayList<>();
    private final Set<Integer> seenInputs = new HashSet<>();

    /**
     * Draws a run.
     *
     * @param keeping whether to draw only pipelines that pass on every element to the sink
     */
    LinkedRun(long seed, boolean keeping) {
        this.keeping = keeping;
        random = new Random(~mixed(seed));
        chain = new StreamLinks(mixed(seed), keeping).chain(7);
        inputs = LENGTHS.get(random.nextInt(LENGTHS.size()));
        int[] sizes = random.ints(1 + random.nextInt(4), 0, random.nextBoolean() ? 5 : 100)
                .toArray();
        sizes[0]++;
        source = TrackedSource.of(new Lineage(inputs).inputs(), sizes);
        ending = Ending.values()[Math.max(0, random.nextInt(10) - 4)];
        atCall = 1 + random.nextInt(random.nextBoolean() ? 10 : 2 * inputs + 10);
        sinkLag = random.nextBoolean() ? 0 : 1 + random.nextInt(20);
        described = "seed " + seed + ": " + inputs + " inputs in batches of " + Arrays.toString(sizes) + ", ending "
                + ending + " at call " + atCall + ", sink lag " + sinkLag + chain.code();
    }

    /** Mixes a seed, because consecutive seeds would otherwise give the same first random numbers. */
    private static long mixed(long seed) {
        return seed * 0x9E37_79B9_7F4A_7C15L;
    }

    /** Receives each element before a function does. No input may be finished during the function's call. */
    private void show(Item item) {
        if (!has(Trait.REPEATS) && !has(Trait.ENDS_EARLY_WITHIN)) {
            assertUnfinished(item, "worked on");
        }
        if (calls.incrementAndGet() == atCall) {
            switch (ending) {
                case FAILURE -> throw new Planted();
                case CANCEL -> handle.join().cancel();
                case STOP -> handle.join().stop();
                case DRAIN -> Thread.startVirtualThread(this::drain);
                default -> {}
            }
        }
    }

    private void drain() {
        try {
            handle.join().drain(Duration.ofMillis(atCall % 3));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void assertUnfinished(Item item, String how) {
        item.inputs()
                .filter(source::isFinished)
                .forEach(input -> breaches.add(
                        "input " + input + " was finished when " + item.value + ", which came of it, was " + how));
    }

    private boolean has(Trait trait) {
        return chain.traits().contains(trait);
    }

    /** The sink: acknowledges some elements late, and returns early if that is the chosen ending. */
    private void take(Stage<Item> upstream) throws InterruptedException {
        List<Runnable> late = new ArrayList<>();
        Batch<Item> batch;
        while (!isEnough() && (batch = upstream.pull(Stage.NEVER)) != null) {
            for (int i = 0; i < batch.size() && !isEnough(); i++) {
                Item item = batch.get(i);
                show(item);
                seen.add(item.value);
                item.inputs().forEach(seenInputs::add);
                AckTarget target = batch.target(i);
                long token = batch.token(i);
                late.add(() -> {
                    if (!has(Trait.REPEATS)) {
                        assertUnfinished(item, "in the sink");
                    }
                    target.ack(token);
                });
                while (late.size() > sinkLag) {
                    late.remove(random.nextInt(late.size())).run();
                }
            }
        }
        late.forEach(Runnable::run);
    }

    private boolean isEnough() {
        return ending == Ending.SINK && seen.size() >= atCall;
    }

    void run() throws Exception {
        try {
            RunningPipeline running = chain.staging()
                    .on(source.source(), this::show)
                    .to(Sink.<Item>custom("taking", context -> this::take))
                    .named("fuzz")
                    .run();
            handle.complete(running);
            check(running, end(running));
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(described + "\n" + e.getMessage(), e);
        }
    }

    /** Waits for the end of the run. Returns its failure, or null. */
    private @Nullable Throwable end(RunningPipeline running) throws Exception {
        try {
            running.completion().get(LIMIT_SECONDS, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (CancellationException e) {
            return e;
        } catch (TimeoutException e) {
            String stuck = "hangs: " + running.stages() + "\n" + threads();
            running.cancel();
            throw new AssertionError(stuck, e);
        }
    }

    private static String threads() throws IOException {
        Path folder = Files.createTempDirectory("weir-threads");
        Path dump = folder.resolve("dump.txt");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        String text = Files.readString(dump);
        Files.delete(dump);
        Files.delete(folder);
        return Arrays.stream(text.split("\n\n"))
                .filter(thread -> thread.contains("\"weir-fuzz"))
                .collect(Collectors.joining("\n\n"));
    }

    private void check(RunningPipeline running, @Nullable Throwable failure) {
        assertThat(breaches).isEmpty();
        source.assertProtocolKept();
        if (keeping) {
            assertThat(IntStream.range(0, source.pulled())
                            .filter(source::isFinished)
                            .filter(input -> !seenInputs.contains(input)))
                    .as("inputs that were finished before the sink had them")
                    .isEmpty();
        }
        boolean reached = calls.get() >= atCall;
        if (failure instanceof Trapped && has(Trait.REPEATS) && (ending == Ending.STOP || ending == Ending.DRAIN)) {
            return; // a restarted section may fail after a stop
        }
        if (failure != null) {
            Class<?> expected = switch (ending) {
                case FAILURE -> Planted.class;
                case CANCEL, DRAIN -> CancellationException.class;
                default -> throw new AssertionError("failed: " + failure, failure);
            };
            assertThat(failure).isInstanceOf(expected);
            assertThat(reached).isTrue();
            return;
        }
        boolean disturbed = (reached && ending != Ending.ITS_OWN && ending != Ending.SINK) || isEnough();
        boolean endsEarly = has(Trait.ENDS_EARLY) || isEnough();
        if (ending == Ending.FAILURE && reached) {
            assertThat(has(Trait.ABSORBS) || endsEarly || has(Trait.ENDS_EARLY_WITHIN))
                    .as("a failure was swallowed")
                    .isTrue();
            return;
        }
        if (!endsEarly) {
            assertThat(running.stages()).as("depth").allMatch(stage -> stage.depth() == 0);
            // Restarted stages may fail after a stop. If an outer stream recovers, it leaves elements unfinished.
            boolean leavesSome =
                    has(Trait.LEAVES_SOME) || ((has(Trait.REPEATS) || has(Trait.LEAVES_SOME_AT_STOP)) && disturbed);
            if (!leavesSome) {
                assertThat(source.finishedCount()).as("finished").isEqualTo(source.pulled());
            }
        }
        if (!disturbed) {
            assertSeen(inputs);
            assertThat(endsEarly || source.pulled() == inputs).as("all pulled").isTrue();
        } else if (ending == Ending.STOP && !has(Trait.HAS_SOURCES)) {
            assertSeen(source.pulled());
        }
    }

    private void assertSeen(int pulled) {
        List<Long> expected =
                chain.model().apply(LongStream.range(0, pulled).boxed().toList());
        switch (chain.effect().apply(Known.ORDER)) {
            case ORDER -> assertThat(seen).isEqualTo(expected);
            case CONTENT ->
                assertThat(seen.stream().sorted().toList())
                        .isEqualTo(expected.stream().sorted().toList());
            case NOTHING -> {}
        }
    }
}
