package dev.weir.bench.explain;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.LimitingParty;
import dev.weir.bench.workload.LockWindow;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.PartitionSpread;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Scenario;
import dev.weir.metrics.Limiter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rules that identify the limiter. The first rule that finds a limiter decides. Limiters that distort other figures
 * come first. Stateless. {@code docs/reference/limiter.md} lists the kinds.
 */
final class Rules {

    /** Fraction of its maximum at which a component or a rate counts as exhausted. */
    private static final double FULL = 0.9;

    /** Busy fraction below which a component clearly waits for another component. */
    private static final double RUNS_ON = 0.8;

    private static final double HALF = 0.5;

    /** Fraction of the time at which garbage collection counts as the limiter. */
    private static final double COLLECTING = 0.25;

    /** Fetch size below which the fixed cost of each request dominates. */
    private static final double SMALL_FETCH_KB = 16;

    /** Round-trip time at which the network counts as slow. */
    private static final double LONG_WAY_MILLIS = 2;

    private static final List<Function<Facts, @Nullable Limiter>> ALL = List.of(
            Rules::generator,
            Rules::collector,
            Rules::plan,
            Rules::slowSink,
            Rules::hotKey,
            Rules::hotPartition,
            Rules::handlers,
            Rules::commit,
            Rules::fetchSize,
            Rules::batchSize,
            Rules::machine,
            Rules::lockWindow,
            Rules::library,
            facts -> requests(facts, "fetch", Limiter.Kind.SOURCE_BROKER),
            facts -> requests(facts, "produce", Limiter.Kind.OUTPUT_BROKER),
            Rules::brokers);

    private Rules() {}

    static @Nullable Limiter first(Facts facts) {
        return ALL.stream()
                .map(rule -> rule.apply(facts))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static @Nullable Limiter generator(Facts facts) {
        return facts.isMostly(Flag.GENERATOR_BOUND)
                ? limiter(
                        Limiter.Kind.ARRIVAL,
                        "generator",
                        "give it more processors, or lower topic.recordsPerSecond",
                        String.format(
                                Locale.ROOT,
                                "it sent too much of its plan late in %d of %d runs",
                                facts.with(Flag.GENERATOR_BOUND),
                                facts.size()))
                : null;
    }

    private static @Nullable Limiter collector(Facts facts) {
        return facts.collecting() >= COLLECTING
                ? limiter(
                        Limiter.Kind.GC,
                        "collector",
                        "raise method.heapMegabytes, or have less in flight",
                        String.format(Locale.ROOT, "collections took %.0f %% of the time", 100 * facts.collecting()))
                : null;
    }

    private static @Nullable Limiter plan(Facts facts) {
        WorkloadPoint workload = facts.workload();
        if (workload == null || workload.recordsPerSecond() == 0) {
            return null;
        }
        return facts.rate() >= 0.98 * workload.measuredPerSecond()
                ? limiter(
                        Limiter.Kind.ARRIVAL,
                        "plan",
                        "nothing; 'weir bench explore' finds the rate that it cannot keep",
                        String.format(
                                Locale.ROOT,
                                "it takes the %,.0f records/s that are planned",
                                workload.measuredPerSecond()))
                : null;
    }

    private static @Nullable Limiter slowSink(Facts facts) {
        WorkloadPoint workload = facts.workload();
        if (workload == null || !workload.hasSlowSink()) {
            return null;
        }
        double taken = Double.parseDouble(workload.options().getOrDefault(PassOptions.SINK_RATE, "0"));
        return facts.rate() >= FULL * taken
                ? limiter(
                        Limiter.Kind.STAGE_WAIT,
                        "sink",
                        "raise options." + PassOptions.SINK_RATE,
                        String.format(Locale.ROOT, "user code takes no more than %,.0f records/s", taken))
                : null;
    }

    /** Checks whether the hottest key is the limiter. In key order, each key has one handler at a time. */
    private static @Nullable Limiter hotKey(Facts facts) {
        WorkloadPoint workload = facts.workload();
        double handlerMillis = facts.handlerMillis();
        if (workload == null || workload.ordering() != HandlerOrder.KEY || workload.keySkew() == 0) {
            return null;
        }
        int keys = workload.keys() / workload.partitions();
        double hottest = 1
                / IntStream.rangeClosed(1, keys)
                        .mapToDouble(rank -> Math.pow(rank, -workload.keySkew()))
                        .sum();
        double most = workload.partitions() / hottest * 1e3 / handlerMillis;
        return facts.rate() >= RUNS_ON * most && most < FULL * facts.metric(Totals.CEILING)
                ? limiter(
                        Limiter.Kind.KEY_SKEW,
                        "hottest keys",
                        "a finer key, or a quicker handler: more concurrency stays idle",
                        String.format(
                                Locale.ROOT,
                                "%.0f %% of a partition's records have one key, and one at a time for %.2f ms each is %,.0f"
                                        + " records/s",
                                100 * hottest,
                                handlerMillis,
                                most))
                : null;
    }

    /**
     * Checks whether the hottest partition is the limiter. In partition order, each partition has one handler at a
     * time.
     */
    private static @Nullable Limiter hotPartition(Facts facts) {
        WorkloadPoint workload = facts.workload();
        double handlerMillis = facts.handlerMillis();
        if (workload == null || workload.ordering() != HandlerOrder.PARTITION || workload.partitionSkew() == 0) {
            return null;
        }
        double hottest = PartitionSpread.shares(workload.partitions(), workload.partitionSkew())[0];
        double most = 1e3 / handlerMillis / hottest;
        return facts.rate() >= RUNS_ON * most && most < FULL * facts.metric(Totals.CEILING)
                ? limiter(
                        Limiter.Kind.ONE_PARTITION,
                        "hottest partition",
                        "spread the load more evenly, or ask for the order of keys: other partitions' handlers stay idle",
                        String.format(
                                Locale.ROOT,
                                "%.0f %% of the records are in one partition, and one at a time for %.2f ms each is %,.0f"
                                        + " records/s in all",
                                100 * hottest,
                                handlerMillis,
                                most))
                : null;
    }

    /** Finds a share group that has acquired its maximum of unfinished records. */
    private static @Nullable Limiter lockWindow(Facts facts) {
        double held = facts.metric(LockWindow.HELD_PERCENT);
        double blocked = facts.rate() * facts.handlerMillis() / 1e3;
        return held >= 100 * FULL
                ? limiter(
                        Limiter.Kind.SHARE_WINDOW,
                        "lock window",
                        LockWindow.ADVICE,
                        String.format(
                                Locale.ROOT,
                                "the group held %.0f %% of the locks that it may of the fullest partition, while %s",
                                held,
                                Double.isNaN(blocked)
                                        ? "records waited"
                                        : String.format(Locale.ROOT, "%.1f handlers blocked at a time", blocked)))
                : null;
    }

    private static @Nullable Limiter handlers(Facts facts) {
        double handlerMillis = facts.handlerMillis();
        double atATime = facts.metric(Totals.CEILING) * handlerMillis / 1e3;
        double blocked = facts.rate() * handlerMillis / 1e3;
        return blocked >= FULL * atATime
                ? limiter(
                        Limiter.Kind.STAGE_WAIT,
                        "handlers",
                        "quicker handlers, or a higher options.concurrency; in order, more partitions or keys",
                        String.format(
                                Locale.ROOT,
                                "%.1f handlers blocked at a time, for %.2f ms each, of %.0f that may",
                                blocked,
                                handlerMillis,
                                atATime))
                : null;
    }

    /** Finds an at-most-once driver that spends at least half of the time on commits. */
    private static @Nullable Limiter commit(Facts facts) {
        WorkloadPoint workload = facts.workload();
        double share = facts.metric("client: commits/s") * facts.metric("client: commit ms") / 1e3;
        return workload != null && workload.scenario() == Scenario.AT_MOST_ONCE && share >= HALF
                ? limiter(
                        Limiter.Kind.COMMIT,
                        "commits",
                        "commit more at once: options." + PassOptions.COMMIT_AHEAD,
                        String.format(
                                Locale.ROOT,
                                "%.0f commits/s of %.2f ms each come before their records, %.0f %% of the time",
                                facts.metric("client: commits/s"),
                                facts.metric("client: commit ms"),
                                100 * share))
                : null;
    }

    /**
     * Checks whether small fetches are the limiter. This check runs before {@link #machine}, because small requests
     * keep processors busy too.
     */
    private static @Nullable Limiter fetchSize(Facts facts) {
        double kilobytes = facts.metric("client: kB per fetch");
        return facts.streams() && kilobytes < SMALL_FETCH_KB
                ? limiter(
                        Limiter.Kind.SOURCE_FETCH,
                        "fetch size",
                        "larger fetches: max.partition.fetch.bytes, fetch.max.bytes, fetch.min.bytes",
                        String.format(
                                Locale.ROOT,
                                "a fetch brings %.1f kB, %.0f records, while the topic is full; %,.0f of them a second, %.2f ms"
                                        + " each",
                                kilobytes,
                                facts.recordsPerFetch(),
                                facts.rate() / facts.recordsPerFetch(),
                                facts.clientMillis("fetch")))
                : null;
    }

    private static @Nullable Limiter batchSize(Facts facts) {
        double kilobytes = facts.metric(LimitingParty.BATCH_KILOBYTES);
        return facts.streams() && kilobytes < LimitingParty.SMALL_BATCH_KB
                ? limiter(
                        Limiter.Kind.PRODUCER,
                        "batch size",
                        "larger batches: batch.size, linger.ms",
                        String.format(
                                Locale.ROOT,
                                "a batch has %.1f kB although records are there as fast as they are taken",
                                kilobytes))
                : null;
    }

    /** Checks whether the machine's processors were busy and made the driver wait. */
    private static @Nullable Limiter machine(Facts facts) {
        double driver = facts.driverCores();
        double waited = facts.waitedCores();
        boolean starves = Double.isNaN(waited) || (waited >= 0.2 && waited >= HALF * driver);
        if (!(facts.machineBusy() >= FULL && starves)) {
            return null;
        }
        double brokers = Double.isNaN(facts.brokerCores()) ? 0 : facts.brokerCores();
        double others = Math.max(0, facts.machineBusy() * facts.cores() - driver - brokers);
        boolean isOthers = others > driver + brokers;
        return limiter(
                Limiter.Kind.MACHINE_CPU,
                isOthers ? "other processes" : "machine",
                isOthers ? "end what else runs there, or run elsewhere" : "run on more processors",
                String.format(
                        Locale.ROOT,
                        "%.0f %% of %d cores were busy: driver %.2f, brokers %.2f, others %.2f%s",
                        100 * facts.machineBusy(),
                        facts.cores(),
                        driver,
                        brokers,
                        others,
                        Double.isNaN(waited)
                                ? ""
                                : String.format(Locale.ROOT, "; the driver's threads waited for %.2f more", waited)));
    }

    private static @Nullable Limiter library(Facts facts) {
        return facts.driverCores() >= RUNS_ON
                ? limiter(
                        Limiter.Kind.STAGE_CPU,
                        "driver",
                        "profile it: 'weir profile' for a pipeline of Weir",
                        String.format(Locale.ROOT, "it computed on %.2f cores all the time", facts.driverCores()))
                : null;
    }

    /**
     * Finds the limiter of a driver that mostly waits for requests. The limiter is the longest phase of the requests.
     */
    private static @Nullable Limiter requests(Facts facts, String request, Limiter.Kind kind) {
        double whole = facts.clientMillis(request);
        boolean isUnderWay = request.equals("produce") || facts.outstandingFetches() >= HALF;
        if (!facts.streams() || !(whole >= LONG_WAY_MILLIS) || !isUnderWay) {
            return null;
        }
        double inBrokers = facts.brokerMillis(request, "total");
        if (Double.isNaN(inBrokers)) {
            return limiter(
                    kind,
                    "brokers, or the way to them",
                    "measure the way, and the brokers' request times, which are out of reach from here",
                    String.format(
                            Locale.ROOT,
                            "a %s took %.1f ms while the driver ran %.2f cores",
                            request,
                            whole,
                            facts.driverCores()));
        }
        if (whole - inBrokers >= HALF * whole) {
            return limiter(
                    kind,
                    "way to the brokers",
                    "a nearer replica, or larger requests",
                    String.format(
                            Locale.ROOT,
                            "a %s took %.1f ms, and only %.1f of them in the brokers",
                            request,
                            whole,
                            inBrokers));
        }
        if (facts.brokersOwnMillis(request) >= HALF * whole) {
            return limiter(
                    kind,
                    "brokers",
                    "the brokers' disks and threads; partitions spread over more of them",
                    String.format(
                            Locale.ROOT,
                            "a %s took %.1f ms, %.1f of them the brokers' work and queues",
                            request,
                            whole,
                            facts.brokersOwnMillis(request)));
        }
        return facts.brokerMillis(request, "remote") >= HALF * whole
                ? limiter(
                        request.equals("fetch") ? Limiter.Kind.SOURCE_FETCH : kind,
                        request.equals("fetch") ? "wait for data" : "replicas",
                        request.equals("fetch") ? "fetch.min.bytes, fetch.max.wait.ms" : "acks, and the replicas' load",
                        String.format(
                                Locale.ROOT,
                                "a %s took %.1f ms, for %.1f of which brokers waited for data or each other",
                                request,
                                whole,
                                facts.brokerMillis(request, "remote")))
                : null;
    }

    /** Checks by processor time whether brokers were the limiter. Used for libraries without request times. */
    private static @Nullable Limiter brokers(Facts facts) {
        return facts.isMostly(Flag.BROKER_BOUND) || facts.isMostly(Flag.BASELINE_BROKER_BOUND)
                ? limiter(
                        Limiter.Kind.SOURCE_BROKER,
                        "brokers",
                        "more brokers, or partitions spread over more of them",
                        String.format(
                                Locale.ROOT,
                                "they kept %.2f cores busy while the driver ran only %.2f",
                                facts.brokerCores(),
                                facts.driverCores()))
                : null;
    }

    private static Limiter limiter(Limiter.Kind kind, String name, String advice, String sentence) {
        return Limiter.of(kind, name, sentence, advice, 1);
    }
}
