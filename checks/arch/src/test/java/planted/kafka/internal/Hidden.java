package planted.kafka.internal;

/** Must not be named outside planted.kafka. */
public class Hidden {}
