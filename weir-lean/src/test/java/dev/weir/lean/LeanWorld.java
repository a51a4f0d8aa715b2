package dev.weir.lean;

import dev.weir.simulation.Brokers;
import dev.weir.simulation.Planted;
import dev.weir.simulation.Topics.Partition;
import dev.weir.simulation.Topics.Topic;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a lean client and brokers with one topic. A seed determines the topic, settings, pace and faults. Confined
 * to one thread.
 */
public abstract class LeanWorld implements AutoCloseable {

    /** A class of faults. Most simulations have one or two. */
    public enum Trouble {
        CONNECTIONS,
        SILENCE,
        RESTARTS,
        SLOW_BROKERS,
        ELECTIONS,
        STALE_METADATA,
        UNCLEAN_ELECTIONS,
        QUOTAS,
        MORE_PARTITIONS,
        // Only with producers.
        TIMEOUTS,
        /** Brokers forget producers, which may then write records twice. */
        FORGOTTEN_PRODUCERS,
        // Only with consumers.
        RECREATION,
        RETENTION,
        SESSIONS,
        PAUSES
    }

    protected static final String TOPIC = "t";
    protected static final int BROKERS = 3;
    protected static final long MILLI = 1_000_000;
    private static final long MAX_CALM_NANOS = 300_000 * MILLI;
    private static final int MAX_TURNS = 10_000;

    protected final Random random;
    protected final Brokers brokers;
    protected final SimulatedProcess process;
    protected final Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
    protected Topic topic;

    protected LeanWorld(long seed, @Nullable Planted planted, Set<Trouble> possible) {
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        brokers = new Brokers(random, BROKERS);
        topic = brokers.topics().create(TOPIC, 1 + random.nextInt(4));
        List<Trouble> all = possible.stream().sorted().toList();
        for (int n = random.nextInt(3); n > 0; n--) {
            troubles.add(all.get(random.nextInt(all.size())));
        }
        if (planted != null) {
            brokers.plant(planted);
        }
        process = new SimulatedProcess(brokers, random, "client");
    }

    /** Runs the simulation of a seed. Returns a summary of its events. */
    public static String run(long seed, LongFunction<LeanWorld> worlds) {
        try (LeanWorld world = worlds.apply(seed)) {
            world.run();
            return world.course();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    public static boolean fails(long seed, LongFunction<LeanWorld> worlds) {
        try {
            String ignored = run(seed, worlds);
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }

    private void run() throws InterruptedException {
        for (int steps = 200 + random.nextInt(400); steps > 0; steps--) {
            act();
            if (random.nextInt(10) == 0) {
                troubles.forEach(this::befall);
            }
            step();
        }
        troubles.clear();
        brokers.network().slow(false);
        calm();
    }

    /** Takes a random step, such as writing records. */
    protected abstract void act() throws InterruptedException;

    /** Lets the client work once. Returns whether there was nothing to do. */
    protected abstract boolean isIdle();

    protected abstract void await(long millis);

    /** Ends all faults, and checks that the client completes its work. */
    protected abstract void calm();

    /** Returns a summary of the simulation's events. Equal runs have equal summaries. */
    protected String course() {
        return brokers.schedule().now() + " " + brokers.network().opened() + " "
                + brokers.network().answers();
    }

    private void step() {
        int turns = 0;
        while (!isIdle()) {
            require(++turns < MAX_TURNS, () -> "turns without an end at the same time");
        }
        await(1 + random.nextInt(15));
    }

    protected final void stepUntil(BooleanSupplier done, Supplier<String> missing) {
        long until = brokers.schedule().now() + MAX_CALM_NANOS;
        while (!done.getAsBoolean()) {
            require(brokers.schedule().now() < until, () -> "not in time: " + missing.get());
            step();
        }
    }

    private void befall(Trouble trouble) {
        Partition partition =
                topic.partitions().get(random.nextInt(topic.partitions().size()));
        int broker = 1 + random.nextInt(BROKERS);
        long some = (long) Math.pow(10, random.nextInt(4)) * 10 * MILLI;
        befall(trouble, partition, broker, some);
    }

    protected void befall(Trouble trouble, Partition partition, int broker, long nanos) {
        switch (trouble) {
            case CONNECTIONS -> process.process().cutOne();
            case SILENCE -> process.process().silenceOne();
            case RESTARTS -> brokers.network().restart(broker, nanos);
            case SLOW_BROKERS -> brokers.network().slow(random.nextBoolean());
            case ELECTIONS -> partition.moveTo(broker);
            case STALE_METADATA -> {
                brokers.topics().cutOff(broker, nanos);
                partition.moveTo(broker % BROKERS + 1);
            }
            case QUOTAS -> brokers.throttle(2, random.nextInt(1_000));
            case MORE_PARTITIONS -> {
                if (topic.partitions().size() < 8) {
                    brokers.topics().grow(topic, 1);
                }
            }
            default -> throw new IllegalArgumentException("no such trouble in this world: " + trouble);
        }
    }

    protected static void require(boolean holds, Supplier<String> violation) {
        if (!holds) {
            throw new AssertionError(violation.get());
        }
    }

    protected abstract void closeClient();

    @Override
    public final void close() {
        try {
            closeClient();
            require(process.process().connections() == 0, () -> "connections are left");
        } finally {
            process.close();
        }
    }
}
