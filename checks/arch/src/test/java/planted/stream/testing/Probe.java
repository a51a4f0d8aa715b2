package planted.stream.testing;

/** Represents a probe in a user's test. */
public class Probe {}
