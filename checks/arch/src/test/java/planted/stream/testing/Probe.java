package planted.stream.testing;

/** What a user's test looks with. */
public class Probe {}
