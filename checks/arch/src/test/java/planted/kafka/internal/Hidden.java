package planted.kafka.internal;

/** What nobody outside planted.kafka may name. */
public class Hidden {}
