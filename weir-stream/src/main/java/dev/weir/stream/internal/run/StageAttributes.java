package dev.weir.stream.internal.run;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Supervision;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The attributes of a stage while it is being built. Records which attributes the builder reads, so that attributes
 * without effect can be refused. Confined to the thread that starts the run.
 */
public final class StageAttributes {

    private static final String BY_DISPATCHER =
            "async, balance, batch, broadcast, buffer, conflate, expand, extrapolate, flatMapMerge, foldAsync,"
                    + " groupBy, mapAsync, mapBlocking, mapParallel, merge, mergeLatest, mergePreferred, mergePrioritized,"
                    + " partition, restarted, scanAsync, switchMap, unzip, zipLatest, all sinks";
    private static final String BY_BUFFER = "alsoTo, async, balance, broadcast, buffer, delay, divertTo, flatMapMerge,"
            + " foldAsync, groupBy, mapAsync, mapBlocking, merge, mergeLatest, mergePreferred, mergePrioritized,"
            + " partition, restarted, scanAsync, switchMap, throttlePerKey, unzip, wireTap, zipLatest, sources that ask"
            + " user code for one element at a time";
    private static final String BY_SUPERVISION =
            "operators that call a function for their elements, and sinks with a result";

    private final Attributes said;
    private boolean readsDispatcher;
    private boolean readsBuffer;
    private boolean readsSupervision;

    public StageAttributes(Attributes said) {
        this.said = said;
    }

    public static StageAttributes named(String name) {
        return new StageAttributes(Attributes.named(name));
    }

    /** Merges attributes. Those in {@code more} take precedence. */
    public static Attributes merge(Attributes more, Attributes less) {
        Attributes merged = less;
        if (more.name() != null) {
            merged = merged.withName(more.name());
        }
        if (more.dispatcher() != null) {
            merged = merged.withDispatcher(more.dispatcher());
        }
        if (more.buffer() != 0) {
            merged = merged.withBuffer(more.buffer());
        }
        return more.supervision() == null ? merged : merged.withSupervision(more.supervision());
    }

    /** The stage's name, which every stage of a blueprint has. */
    public String name() {
        return Objects.requireNonNull(said.name(), "a stage without a name");
    }

    public Dispatcher dispatcherOr(Dispatcher otherwise) {
        readsDispatcher = true;
        Dispatcher dispatcher = said.dispatcher();
        return dispatcher != null ? dispatcher : otherwise;
    }

    public int bufferOr(int otherwise) {
        readsBuffer = true;
        return said.buffer() != 0 ? said.buffer() : otherwise;
    }

    /** Returns the supervision, or {@link Supervision#fail} if none was set. */
    public Supervision supervision() {
        readsSupervision = true;
        Supervision supervision = said.supervision();
        return supervision != null ? supervision : Supervision.fail();
    }

    /** Returns whether the stage retries function calls after a delay. */
    boolean waitsBetweenAttempts() {
        Supervision supervision = said.supervision();
        RetryPolicy policy = supervision == null || !readsSupervision ? null : supervision.retryPolicy();
        return policy != null && policy.attempts() > 1 && policy.backoff().max().isPositive();
    }

    /**
     * Returns all attributes for a stage that replaces this one. They count as read, because that stage checks them.
     */
    public Attributes handedOn() {
        readsDispatcher = true;
        readsBuffer = true;
        readsSupervision = true;
        return said;
    }

    /**
     * Refuses attributes that the stage has not read. Called once the stage is built.
     *
     * @throws IllegalArgumentException if there are such attributes
     */
    public void refuseUnread() {
        List<String> unread = new ArrayList<>();
        if (said.dispatcher() != null && !readsDispatcher) {
            unread.add("dispatcher, which these use: " + BY_DISPATCHER);
        }
        if (said.buffer() != 0 && !readsBuffer) {
            unread.add("buffer, which these use: " + BY_BUFFER);
        }
        if (said.supervision() != null && !readsSupervision) {
            unread.add("supervision, which these use: " + BY_SUPERVISION);
        }
        if (!unread.isEmpty()) {
            throw new IllegalArgumentException("stage " + name() + " does not use the attribute "
                    + String.join("; nor the attribute ", unread)
                    + ". Leave it out, or put with(...) directly below the"
                    + " operator that it is for");
        }
    }
}
