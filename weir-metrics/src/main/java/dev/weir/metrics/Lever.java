package dev.weir.metrics;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The change that would raise a limit: the subject to change, its current value and the advised value. Immutable. */
public final class Lever {

    /** The kind of change. */
    public enum Kind {
        /** The number of elements that a stage processes concurrently. */
        PARALLELISM,
        /** A stage gets its own threads instead of using a thread together with other stages. */
        OWN_THREADS,
        /** The number of threads of a dispatcher. */
        DISPATCHER,
        /** The rate of a stage or source. */
        RATE,
        /** A user ends a pause. */
        RESUME,
        /** A setting of a consumer or producer, identified by its name in code. */
        SETTING,
        /** A change outside the pipeline's settings: in the brokers, the keys, the machine, or a handler's own work. */
        ELSEWHERE,
        /** No change. */
        NONE
    }

    private final Values values;

    private Lever(Kind kind, String subject, int from, int to, String words) {
        this.values = new Values(kind, subject, from, to, words);
    }

    /** The kind of change. */
    public Kind kind() {
        return values.kind;
    }

    /** The stage, dispatcher or setting to change; empty if there is none. */
    public String subject() {
        return values.subject;
    }

    /** The current value, or 0 if there is none. */
    public int from() {
        return values.from;
    }

    /** The advised value, or 0 if there is none. */
    public int to() {
        return values.to;
    }

    static Lever parallelism(String stage, int from, int to, String alsoChange) {
        return new Lever(
                Kind.PARALLELISM,
                stage,
                from,
                to,
                "raise the parallelism of " + stage + " from " + from + " to " + to + alsoChange);
    }

    static Lever ownThreads(String stage, int threads, boolean computes) {
        return new Lever(
                Kind.OWN_THREADS,
                stage,
                1,
                threads,
                "give " + stage + " its own threads: "
                        + (computes
                                ? "mapParallel with " + threads
                                : "mapBlocking or mapAsync with " + threads + " at once"));
    }

    static Lever dispatcher(String name, int from, int to) {
        return new Lever(
                Kind.DISPATCHER,
                name,
                from,
                to,
                "raise dispatcher " + name + " from " + from + " to " + to + " threads");
    }

    static Lever rate(String stage, boolean live) {
        return new Lever(
                Kind.RATE, stage, 0, 0, live ? "raise source.rate, or end it with off" : "raise the rate of " + stage);
    }

    static Lever resume(String what) {
        return new Lever(Kind.RESUME, what, 0, 0, "resume " + what);
    }

    static Lever setting(String name, String words) {
        return new Lever(Kind.SETTING, name, 0, 0, words);
    }

    static Lever elsewhere(String words) {
        return new Lever(Kind.ELSEWHERE, "", 0, 0, words);
    }

    static Lever none() {
        return new Lever(Kind.NONE, "", 0, 0, "nothing to do");
    }

    /** Returns whether the change can be made in {@code frontEnd}. */
    public boolean isWithin(FrontEnd frontEnd) {
        Objects.requireNonNull(frontEnd, "frontEnd");
        return switch (values.kind) {
            case PARALLELISM, DISPATCHER, RESUME, ELSEWHERE, NONE -> true;
            case RATE ->
                frontEnd == FrontEnd.CODE || frontEnd == FrontEnd.SPRING || values.words.startsWith("raise source");
            case OWN_THREADS -> frontEnd == FrontEnd.CODE || frontEnd == FrontEnd.SPRING;
            case SETTING -> frontEnd != FrontEnd.CONSOLE;
        };
    }

    /**
     * Returns a description of the change in the terms of {@code frontEnd}. If the change cannot be made there, the
     * text says where it can be made.
     */
    public String in(FrontEnd frontEnd) {
        Objects.requireNonNull(frontEnd, "frontEnd");
        boolean console = frontEnd == FrontEnd.CONSOLE || frontEnd == FrontEnd.COMMAND_LINE;
        String control = !console
                ? null
                : switch (values.kind) {
                    case PARALLELISM -> "stage." + values.subject + ".parallelism=" + values.to;
                    case DISPATCHER -> "dispatcher." + values.subject + ".size=" + values.to;
                    default -> null;
                };
        if (!isWithin(frontEnd)) {
            return fact();
        }
        return control == null ? values.words : values.words + " (control " + control + ")";
    }

    private String fact() {
        return switch (values.kind) {
            case OWN_THREADS -> values.subject + " works on one element at a time, and only its code can change that";
            case RATE -> "the rate of " + values.subject + " is set in the pipeline's code";
            default -> "a setting of the pipeline's start: " + values.words;
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Lever that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "Lever");
    }

    private record Values(Kind kind, String subject, int from, int to, String words) {}
}
