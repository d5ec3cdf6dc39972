import Testing

/// Tests of the built binary, one after the other so that each has the machine for itself.
@Suite(.serialized) struct `The built server` {}
