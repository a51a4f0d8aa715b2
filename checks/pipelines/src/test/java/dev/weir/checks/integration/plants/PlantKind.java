package dev.weir.checks.integration.plants;

/** The planted kinds of limiters: the rows of the matrix. */
enum PlantKind {
    CPU("slow CPU stage"),
    WAIT("stage that waits"),
    BLOCKING_MAP("blocking call in a plain map"),
    LOCK("workers that share a lock"),
    BRANCH("slow branch of a broadcast"),
    GROUP("slow stage within groupBy"),
    HOT_KEY("hot key"),
    EVEN_KEYS("even keys, too few workers"),
    THROTTLE("throttle"),
    THROTTLE_PER_KEY("throttle per key"),
    DISPATCHER("small dispatcher"),
    SINK("slow sink"),
    TWO("two of equal strength"),
    IDLE("source idle"),
    KEEPS_UP("steady arrival, keeps up"),
    BACKLOG("growing backlog"),
    WINDOW("small window"),
    BYTES("tiny byte budget"),
    DECODER("slow decoder"),
    QUOTA("output quota"),
    ACKS("distant output brokers"),
    LINGER("linger over a small window"),
    COMMIT("commit-bound, at most once"),
    PARTITION("single hot partition"),
    RETRIES("retries with backoff"),
    TEN("five of the planted ten");

    final String text;

    PlantKind(String text) {
        this.text = text;
    }

    boolean needsBroker() {
        return compareTo(WINDOW) >= 0;
    }
}
